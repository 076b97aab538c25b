package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"understudy.example/internal/certificate"
	"understudy.example/internal/hooks"
)

// WebhookNetwork configures how webhook deliveries reach their receivers.
type WebhookNetwork struct {
	WebhookAllow      []netip.Prefix `env:"WEBHOOK_ALLOW" help:"Comma-separated CIDRs that webhooks are delivered to although they are private, reserved or the server's own. Link-local, multicast, unspecified and cloud metadata addresses are never allowed."`
	WebhookProxy      string         `env:"WEBHOOK_PROXY" secret:"" help:"URL of an HTTP proxy, such as http://user:password@proxy.example:3128, through which all webhooks are delivered. Empty delivers them directly."`
	WebhookProxyFile  string         `env:"WEBHOOK_PROXY_FILE" help:"File that contains the URL of the proxy, instead of --webhook-proxy."`
	WebhookCA         string         `env:"WEBHOOK_CA" help:"PEM file with certificate authorities that webhook deliveries trust in addition to those of the system."`
	WebhookClientCert string         `env:"WEBHOOK_CLIENT_CERT" help:"PEM file with the certificate for webhook receivers that ask for one, followed by its intermediate certificates."`
	WebhookClientKey  string         `env:"WEBHOOK_CLIENT_KEY" help:"PEM file with the private key of --webhook-client-cert."`
}

// sender returns the sender of webhook deliveries. The profile local also delivers to
// all loopback and private addresses and to the server's own addresses; uat delivers to
// such addresses only if they are in --webhook-allow.
func (c *Config) sender() (*hooks.Sender, error) {
	proxy, err := c.WebhookNetwork.proxy()
	if err != nil {
		return nil, err
	}
	config, err := c.receiverTLS()
	if err != nil {
		return nil, err
	}
	return hooks.NewSender(
		hooks.Network{AllowPrivate: !c.uat(), Allow: unmapped(c.WebhookAllow), Proxy: proxy, TLS: config},
		hooks.Signature{SHA1: c.SignatureDigest == "sha1", NoPrefix: c.SignaturePrefix == "off"}), nil
}

// proxy returns the URL of the proxy; nil if there is none. The error does not contain
// the URL, which may contain a password.
func (n WebhookNetwork) proxy() (*url.URL, error) {
	if n.WebhookProxy == "" {
		return nil, nil
	}
	u, err := url.Parse(n.WebhookProxy)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("WEBHOOK_PROXY: want the URL of an HTTP proxy, such as http://proxy.example:3128 or https://user:password@proxy.example")
	}
	return u, nil
}

// receiverTLS returns the TLS configuration for connections to receivers. A receiver
// gets the client certificate only if it asks for one that its authorities have issued.
func (n WebhookNetwork) receiverTLS() (*tls.Config, error) {
	config := &tls.Config{}
	if n.WebhookCA != "" {
		authorities, err := certificate.Authorities(n.WebhookCA)
		if err != nil {
			return nil, fmt.Errorf("WEBHOOK_CA: %w", err)
		}
		config.RootCAs = authorities
	}
	pair, err := loadPair("WEBHOOK_CLIENT_CERT", n.WebhookClientCert, "WEBHOOK_CLIENT_KEY", n.WebhookClientKey)
	if err != nil {
		return nil, err
	}
	if pair != nil {
		config.GetClientCertificate = func(request *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			if ours := pair.Certificate(); request.SupportsCertificate(ours) == nil {
				return ours, nil
			}
			return &tls.Certificate{}, nil // none
		}
	}
	return config, nil
}

// unmapped returns the prefixes with those of IPv4 addresses in IPv6 form
// (::ffff:0:0/96) as prefixes of IPv4, because addresses are compared in that form.
func unmapped(prefixes []netip.Prefix) []netip.Prefix {
	changed := slices.Clone(prefixes)
	for i, prefix := range changed {
		if prefix.Addr().Is4In6() && prefix.Bits() >= 96 {
			changed[i] = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
		}
	}
	return changed
}
