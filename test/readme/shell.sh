# The shell of a reader who follows a guide: what stands ahead of each command line. ROOT is this repository.
set -euo pipefail

# npx without a registry: this package as it is built, and the tools that it is developed with.
npx() {
  local name="$1"
  shift
  if [ "$name" = seo-sandbox ]; then
    node "$ROOT/bin/seo-sandbox.js" "$@"
  else
    "$ROOT/node_modules/.bin/$name" "$@"
  fi
}

# An answer that is an error fails the command line.
curl() {
  command curl --fail-with-body --silent --show-error "$@"
}
