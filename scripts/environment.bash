# shellcheck shell=bash
# Sourced by the other scripts: where the checkout is, and what its programs run with.
# With CDPATH set, cd would search its folders first, and print what it found.
root=$(CDPATH='' cd -- "${BASH_SOURCE[0]%/*}/.." && pwd -P)

# Programs started by a desktop often get a bare PATH, or none: bash then makes up one with "." in it.
[[ $(declare -p PATH) == "declare -x "* ]] || PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH=$PATH:/opt/homebrew/bin:/usr/local/bin:/usr/sbin:/sbin

# The checkout's own, so that an environment without HOME works and no other project's cache is touched.
export DENO_DIR=$root/.tools/deno_dir

# True while no source is newer than what scripts/bundle made of them, and where that can't be found out.
is_bundled() {
  local newer
  [[ -e $root/.tools/entry ]] || return 1
  newer=$(cd "$root" && find main.ts deno.json deno.lock scripts/bundle.ts scripts/jsr skills src views workers \
    -newer .tools/entry -print -quit 2>/dev/null) || return 0
  [[ -z $newer ]]
}
