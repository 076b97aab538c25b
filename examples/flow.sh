#!/bin/sh
# Submits a document, waits until it is read, and prints what was found:
#
#   examples/flow.sh examples/submission.eml
#
# Needs curl, and jq only to show the data in lines. BASE_URL, CLIENT_ID,
# CLIENT_SECRET, API_KEY and PACKAGE take the place of the demo tenant's.
set -eu

file=${1:?"which file? examples/flow.sh FILE"}
base=${BASE_URL:-http://127.0.0.1:8080}
client=${CLIENT_ID:-acme-client}:${CLIENT_SECRET:-acme-secret}
key=${API_KEY:-acme-api-key}
package=${PACKAGE:-acme-us-c0001}
token=

step() { printf '\n%s\n' "$1"; }

# call METHOD URL [curl's arguments]: the answer's body; a refusal ends the flow
call() {
	method=$1 url=$2
	shift 2
	curl -sS -X "$method" "$url" "$@" -w '\n%{http_code}\n' >"$answer" || exit 1
	case $(tail -n 1 "$answer") in
	2??) sed '$d' "$answer" ;;
	*)
		echo "$method ${url%%\?*} was refused:" >&2
		cat "$answer" >&2
		exit 1
		;;
	esac
}

# secured METHOD PATH [curl's arguments]: a call with the token and the key
secured() {
	method=$1 path=$2
	shift 2
	call "$method" "$base$path" -H "Authorization: Bearer $token" -H "x-api-key: $key" "$@"
}

# pick NAME: the text at that name in a JSON body
pick() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }

show() { if command -v jq >/dev/null; then jq .; else cat; fi; }

# quoted TEXT: the text as it stands between double quotes
quoted() { printf '%s' "$1" | sed 's/[\\"]/\\&/g'; }

if [ ! -r "$file" ]; then
	echo "cannot read $file" >&2
	exit 1
fi
name=$(basename "$file")
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

step "1. A token for ${client%%:*}"
body=$(call POST "$base/auth/token?grant_type=client_credentials" -u "$client")
token=$(printf '%s\n' "$body" | pick access_token)
printf '%.16s… good for twelve hours\n' "$token"

step "2. An upload address for $name"
body=$(secured POST /universal/v2/universal-submit/file-upload-url \
	-H 'Content-Type: application/json' -d "{\"filename\":\"$(quoted "$name")\"}")
printf '%s\n' "$body"
tx_id=$(printf '%s\n' "$body" | pick tx_id)
upload_url=$(printf '%s\n' "$body" | pick upload_url)

step "3. The upload"
call PUT "$upload_url" -F "file=@\"$(quoted "$file")\""

step "4. The trigger"
secured POST "/universal/v2/universal-submit/file/$tx_id"

step "5. The status, until the end"
while :; do
	body=$(secured GET "/universal/v2/universal-submit/status/$tx_id")
	status=$(printf '%s\n' "$body" | pick status)
	printf '%s\n' "$status"
	case $status in
	Completed | Succeeded) break ;;
	Failed) exit 1 ;;
	esac
	sleep 0.5 2>/dev/null || sleep 1
done

step "6. The company"
body=$(secured GET "/data/v2/$package/$tx_id?idType=transaction")
printf '%s\n' "$body" | show

step "7. Its locations"
body=$(secured GET "/data/v2/$package/$tx_id?idType=sov")
printf '%s\n' "$body" | show
