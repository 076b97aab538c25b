#!/bin/sh
# Submits a document, waits until it is processed, and prints the data extracted
# from it:
#
#   examples/flow.sh examples/submission.eml
#
# Requires curl; jq is optional and only formats the data. BASE_URL, CLIENT_ID,
# CLIENT_SECRET, API_KEY and PACKAGE override the values of the demo tenant.
set -eu

file=${1:?"usage: examples/flow.sh FILE"}
base=${BASE_URL:-http://127.0.0.1:8080}
client=${CLIENT_ID:-acme-client}:${CLIENT_SECRET:-acme-secret}
key=${API_KEY:-acme-api-key}
package=${PACKAGE:-acme-us-c0001}
token=

step() { printf '\n%s\n' "$1"; }

# call METHOD URL [CURL_ARGUMENT...] prints the body of the response, and exits
# with 1 unless the status is 2xx.
call() {
	method=$1 url=$2
	shift 2
	curl -sS -X "$method" "$url" "$@" -w '\n%{http_code}\n' >"$response" || exit 1
	case $(tail -n 1 "$response") in
	2??) sed '$d' "$response" ;;
	*)
		echo "$method ${url%%\?*} failed:" >&2
		cat "$response" >&2
		exit 1
		;;
	esac
}

# call_api METHOD PATH [CURL_ARGUMENT...] is a call with access token and API key.
call_api() {
	method=$1 path=$2
	shift 2
	call "$method" "$base$path" -H "Authorization: Bearer $token" -H "x-api-key: $key" "$@"
}

# pick NAME prints the string with that name in the JSON on standard input.
pick() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }

show() { if command -v jq >/dev/null; then jq .; else cat; fi; }

# quoted TEXT prints the text, escaped for use between double quotes.
quoted() { printf '%s' "$1" | sed 's/[\\"]/\\&/g'; }

if [ ! -r "$file" ]; then
	echo "cannot read $file" >&2
	exit 1
fi
name=$(basename "$file")
response=$(mktemp)
trap 'rm -f "$response"' EXIT

step "1. Get an access token for ${client%%:*}"
body=$(call POST "$base/auth/token?grant_type=client_credentials" -u "$client")
token=$(printf '%s\n' "$body" | pick access_token)
printf '%.16s… (valid for 12 hours)\n' "$token"

step "2. Get an upload URL for $name"
body=$(call_api POST /universal/v2/universal-submit/file-upload-url \
	-H 'Content-Type: application/json' -d "{\"filename\":\"$(quoted "$name")\"}")
printf '%s\n' "$body"
tx_id=$(printf '%s\n' "$body" | pick tx_id)
upload_url=$(printf '%s\n' "$body" | pick upload_url)

step "3. Upload the file"
call PUT "$upload_url" -F "file=@\"$(quoted "$file")\""

step "4. Trigger processing"
call_api POST "/universal/v2/universal-submit/file/$tx_id"

step "5. Poll the status until it is final"
while :; do
	body=$(call_api GET "/universal/v2/universal-submit/status/$tx_id")
	status=$(printf '%s\n' "$body" | pick status)
	printf '%s\n' "$status"
	case $status in
	Completed | Succeeded) break ;;
	Failed) exit 1 ;;
	esac
	sleep 0.5 2>/dev/null || sleep 1
done

step "6. Get the company data"
body=$(call_api GET "/data/v2/$package/$tx_id?idType=transaction")
printf '%s\n' "$body" | show

step "7. Get the location data"
body=$(call_api GET "/data/v2/$package/$tx_id?idType=sov")
printf '%s\n' "$body" | show
