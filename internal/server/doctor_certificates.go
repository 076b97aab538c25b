package server

import (
	"context"
	"fmt"
	"strings"
	"time"

	"understudy.example/internal/certificate"
)

// renewalTime is how long before its end a certificate should have been renewed.
const renewalTime = 7 * 24 * time.Hour

// examineCertificates checks the certificates of the listeners and of webhook
// deliveries, as far as they are configured.
func (c *Config) examineCertificates(context.Context) (findings []Finding) {
	for _, pair := range []struct{ check, certName, certFile, keyName, keyFile string }{
		{"TLS certificate", "TLS_CERT", c.TLSCert, "TLS_KEY", c.TLSKey},
		{"webhook client certificate", "WEBHOOK_CLIENT_CERT", c.WebhookClientCert, "WEBHOOK_CLIENT_KEY", c.WebhookClientKey},
	} {
		loaded, err := loadPair(pair.certName, pair.certFile, pair.keyName, pair.keyFile)
		switch {
		case err != nil:
			findings = append(findings, found(pair.check, err, "")...)
		case loaded != nil:
			findings = append(findings, examinePair(pair.check, loaded, time.Now()))
		}
	}
	return findings
}

func examinePair(check string, pair *certificate.Pair, now time.Time) Finding {
	leaf := pair.Certificate().Leaf
	names := leaf.DNSNames
	for _, address := range leaf.IPAddresses {
		names = append(names, address.String())
	}
	if len(names) == 0 {
		names = []string{leaf.Subject.String()}
	}
	detail := fmt.Sprintf("The certificate of %s is valid from %s until %s.", strings.Join(names, ", "), leaf.NotBefore.Format(time.RFC3339), leaf.NotAfter.Format(time.RFC3339))
	switch {
	case now.Before(leaf.NotBefore), now.After(leaf.NotAfter):
		return Finding{check, Warning, detail + " Clients reject it now: renew it, or set the clock."}
	case now.After(leaf.NotAfter.Add(-renewalTime)):
		return Finding{check, Warning, detail + " Renew it."}
	}
	return Finding{check, OK, detail}
}
