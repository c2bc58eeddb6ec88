// Replaces jsr:@std/toml if JSR can't be reached: the same names, on top of smol-toml.
export { parse, stringify } from "smol-toml";
