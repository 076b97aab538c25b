package servertest

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// noDNS knows only the names of this machine's hosts file.
var noDNS = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("tests use no DNS server")
}}

// Resolver returns a resolver that knows the same addresses for every name, from a DNS
// server on loopback.
func Resolver(t testing.TB, addresses ...string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		for packet := make([]byte, 512); ; {
			n, client, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			var query dnsmessage.Message
			if query.Unpack(packet[:n]) != nil || len(query.Questions) != 1 {
				continue
			}
			if packed, err := response(query, addresses); err == nil {
				conn.WriteTo(packed, client)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// response returns the response of a DNS server to a query.
func response(query dnsmessage.Message, addresses []string) ([]byte, error) {
	question := query.Questions[0]
	answer := dnsmessage.Message{Header: dnsmessage.Header{ID: query.ID, Response: true, RecursionAvailable: true}, Questions: query.Questions}
	header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class, TTL: 1}
	for _, address := range addresses {
		switch ip := netip.MustParseAddr(address); {
		case question.Type == dnsmessage.TypeA && ip.Is4():
			answer.Answers = append(answer.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: ip.As4()}})
		case question.Type == dnsmessage.TypeAAAA && ip.Is6():
			answer.Answers = append(answer.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
		}
	}
	return answer.Pack()
}
