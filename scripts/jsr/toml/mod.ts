// Stands in for jsr:@std/toml where JSR cannot be reached: the same names, over smol-toml.
export { parse, stringify } from "smol-toml";
