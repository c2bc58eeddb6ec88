// Loaded before the server: hides the memory of all processes from it.
import { ProcFs } from "../../src/process/linux/procfs.ts";

ProcFs.prototype.memory = () => undefined;
