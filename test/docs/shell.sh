# Runs before each command line of a guide. ROOT is this repository.
set -euo pipefail

# npx without a registry: the built package and its development tools.
npx() {
  local name="$1"
  shift
  if [ "$name" = seo-sandbox ]; then
    node "$ROOT/bin/seo-sandbox.js" "$@"
  else
    "$ROOT/node_modules/.bin/$name" "$@"
  fi
}

# An error response fails the command line.
curl() {
  command curl --fail-with-body --silent --show-error "$@"
}
