// Stands in for jsr:@std/path where JSR cannot be reached: the same names, over node:path.
export { basename, dirname, extname, isAbsolute, join, normalize, relative, resolve } from "node:path";
export { fileURLToPath as fromFileUrl, pathToFileURL as toFileUrl } from "node:url";
