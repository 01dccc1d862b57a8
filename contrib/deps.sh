#!/bin/sh
# Installs the Debian or Ubuntu packages that building and testing need, if
# any is missing, as root or through sudo. Does nothing when all is there.
#	deps.sh [all]	also what tests and checks do without, saying so
set -eu

missing=
need() { # package, then a test that it is there
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
command_() { command -v "$1"; }
header() { echo "#include <$1>" | ${CC:-cc} -E -x c - -o /dev/null; }
module() { python3 -c "import $1"; }

need gcc command_ "${CC:-cc}"
need libc6-dev header stdio.h
need pkg-config command_ pkg-config
need libyaml-dev header yaml.h
need libjansson-dev header jansson.h
need libsqlite3-dev header sqlite3.h
need libmxml-dev header mxml.h
need libxxhash-dev header xxhash.h
need librandom123-dev header Random123/philox.h
need check header check.h
need python3 command_ python3
need python3-jsonschema module jsonschema
if [ "${1:-}" = all ]; then
	need chromium command_ chromium
	need clang command_ clang
	need cppcheck command_ cppcheck
	need libxml2-utils command_ xmllint
	need munge command_ munged
	need python3-yaml module yaml
	need shellcheck command_ shellcheck
	need slurm-wlm command_ slurmctld
fi

[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
	echo "deps: missing$missing, and no apt-get to install them with" >&2
	exit 1
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "deps: missing$missing, and no sudo; as root:" \
		    "apt-get install$missing" >&2
		exit 1
	fi
	sudo=sudo
fi
echo "deps: installing$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of words
$sudo apt-get install -y --no-install-recommends $missing ||
	{ $sudo apt-get update &&
		$sudo apt-get install -y --no-install-recommends $missing; }
