// Loaded before the server: a kernel like gVisor's, which has no file for what a process sleeps in and no foreground.
import { ProcFs } from "../../src/process/linux/procfs.ts";

const { text } = ProcFs.prototype;

ProcFs.prototype.text = function (this: ProcFs, path: string): string | undefined {
  if (/\/(wchan|syscall)$/.test(path)) return undefined;
  // The fields before the flags: terminal and foreground group.
  return text.call(this, path)?.replace(/(?<=^\d+ \(.*\) (?:\S+ ){4})\S+ \S+/, "0 0");
};
