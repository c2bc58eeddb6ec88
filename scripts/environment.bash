# shellcheck shell=bash
# Sourced by the other scripts: finds the checkout, and sets the environment of its programs.
# With CDPATH set, cd would search its folders first, and print what it found.
root=$(CDPATH='' cd -- "${BASH_SOURCE[0]%/*}/.." && pwd -P)
deno_version=2.9.6

# Programs started by a desktop often get a bare PATH, or none: bash then makes up one with "." in it.
[[ $(declare -p PATH) == "declare -x "* ]] || PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# These folders, which src/tmux/server_environment.ts names too, may hold tmux although a desktop does not search them.
PATH+=:/usr/local/bin:/opt/homebrew/bin:/opt/local/bin:/usr/pkg/bin:/run/current-system/sw/bin
if [[ -n ${HOME:-} ]]; then PATH+=:$HOME/.local/bin:$HOME/bin:$HOME/.nix-profile/bin; fi
PATH+=:/home/linuxbrew/.linuxbrew/bin
export PATH=$PATH:/usr/sbin:/sbin

# A cache in the checkout works without HOME, and touches no other project's cache.
export DENO_DIR=$root/.tools/deno_dir

# Deno obeys these: with them a client's environment could decide what a server may do, or keep it from starting.
unset DENO_AUDIT_PERMISSIONS DENO_COVERAGE_DIR DENO_PERMISSION_BROKER_PATH DENO_UNSTABLE_CONTROL_SOCK DENO_V8_FLAGS \
  NODE_CHANNEL_FD OTEL_DENO
# Deno 2.9 obeys two of Node's options: one loads other code, one opens a debugger's port. The rest, such as a limit of
# memory, is for the panes of a tmux server that a tool starts.
node_options=${NODE_OPTIONS:-}
case " ${node_options//[\"\\]/}" in *" -r"* | *" --require"* | *" --inspect"*) unset NODE_OPTIONS ;; esac

# The versions that scripts/bootstrap installs: of Deno and of the packages.
installation() {
  printf '%s\n' "$deno_version" "$(<"$root/deno.lock")"
}

# True if they are what scripts/bootstrap has installed.
is_installed() {
  [[ -x $root/.tools/deno && -e $root/.tools/installed.lock && $(installation) == "$(<"$root/.tools/installed.lock")" ]]
}

# True if no source is newer than the bundle, or if that can't be determined.
is_bundled() {
  local newer
  [[ -e $root/.tools/entry ]] || return 1
  newer=$(cd "$root" && find main.ts deno.json deno.lock scripts/bundle.ts scripts/jsr skills src views workers \
    -newer .tools/entry -print -quit 2>/dev/null) || return 0
  [[ -z $newer ]]
}
