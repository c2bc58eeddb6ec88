// Loaded before the server: no process shows it its memory.
import { ProcFs } from "../../src/process/linux/procfs.ts";

ProcFs.prototype.memory = () => undefined;
