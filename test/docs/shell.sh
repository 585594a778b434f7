# Runs before each command line of a guide. ROOT is this repository, INSTALLED the node_modules of a project that has installed the package, if one has.
set -euo pipefail

# npx without a registry: the built package and its development tools.
npx() {
  local name="$1"
  shift
  if [ -n "${INSTALLED:-}" ]; then
    "$INSTALLED/.bin/$name" "$@"
  elif [ "$name" = seo-sandbox ]; then
    node "$ROOT/bin/seo-sandbox.js" "$@"
  else
    "$ROOT/node_modules/.bin/$name" "$@"
  fi
}

# An error response fails the command line.
curl() {
  command curl --fail-with-body --silent --show-error "$@"
}
