// Loaded before the server: hides from it the memory of processes and the calls that they sleep in.
import { ProcFs } from "../../src/process/linux/procfs.ts";
import "./hide_memory.ts";

ProcFs.prototype.blockedCall = () => "hidden";
