// Names and values of tmux options, as tmux reads them.

/** An option's name, with or without an index; a user option's may contain whatever has no meaning to tmux. */
export const OPTION_NAME = /^(?:@[^\s#{}[\],;*%$\\"'`]+|[\w-]+)(?:\[\d+\])?$/;

const OFF = /^(?:off|no|0|false)$/i;

/** Returns an option's name without its index: `status-format[1]` is an element of `status-format`. */
export function optionName(option: string): string {
  return option.replace(/\[.*$/s, "");
}

/** True for a value that turns an option off for certain: an empty one toggles it, and null leaves it to its default. */
export function turnsOff(value: string | null): boolean {
  return value !== null && OFF.test(value);
}
