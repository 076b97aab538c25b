package storage

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// s3Location says where the objects of a store are in S3.
type s3Location struct {
	bucket    string
	root      string // what all keys start with: "", or a prefix that ends in a slash
	endpoint  string // URL of the S3 API; "" is that of AWS
	region    string // "" is the region that the AWS SDKs find
	pathStyle bool   // URLs have the bucket in their path instead of in their host name
}

const s3Form = "s3://bucket/prefix?endpoint=https://host&region=us-east-1&path_style=true"

// parseS3Location parses a URL of the form s3Form, of which only the bucket is required.
func parseS3Location(u *url.URL) (s3Location, error) {
	if u.User != nil {
		return s3Location{}, errors.New("an s3:// URL has no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use another source that the AWS SDKs know")
	}
	location := s3Location{bucket: u.Host, root: strings.Trim(u.Path, "/")}
	if location.bucket == "" || u.Port() != "" || u.Fragment != "" {
		return s3Location{}, errors.New("want the form " + s3Form + ", of which only the bucket is required")
	}
	if location.root != "" {
		if checkKey(location.root) != nil {
			return s3Location{}, fmt.Errorf("the prefix %q has an empty name, or one that starts with a dot", location.root)
		}
		location.root += "/"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return s3Location{}, errors.New("the query is malformed: want the form " + s3Form)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if err := location.set(name, query[name]); err != nil {
			return s3Location{}, err
		}
	}
	return location, nil
}

// set sets a parameter of the query.
func (l *s3Location) set(name string, values []string) (err error) {
	value := values[0]
	if len(values) > 1 || value == "" {
		return fmt.Errorf("want one value for the parameter %q", name)
	}
	switch name {
	case "endpoint":
		endpoint, err := url.Parse(value)
		if err != nil || endpoint.Scheme != "http" && endpoint.Scheme != "https" || endpoint.Host == "" || endpoint.User != nil || endpoint.RawQuery != "" {
			return errors.New("endpoint is not a URL such as https://s3.example.com or http://127.0.0.1:9000")
		}
		l.endpoint = value
	case "region":
		l.region = value
	case "path_style":
		if l.pathStyle, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("path_style is %q: want true or false", value)
		}
	default:
		return fmt.Errorf("the parameter %q is unknown: known are endpoint, region and path_style", name)
	}
	return nil
}

// String names the bucket, and the endpoint if it is not that of AWS.
func (l s3Location) String() string {
	if l.endpoint == "" {
		return fmt.Sprintf("the bucket %q", l.bucket)
	}
	return fmt.Sprintf("the bucket %q at %s", l.bucket, l.endpoint)
}
