// Loaded before the server: no process shows it its memory, nor the call that it sleeps in.
import { ProcFs } from "../../src/process/linux/procfs.ts";
import "./hide_memory.ts";

ProcFs.prototype.blockedCall = () => "hidden";
