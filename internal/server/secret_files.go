package server

import (
	"fmt"
	"os"
	"strings"
)

// readSecretFiles sets the secrets that are in files.
func (c *Config) readSecretFiles() error {
	for _, secret := range []struct {
		name  string
		value *string
		file  string
	}{
		{"DATABASE_URL", &c.DatabaseURL, c.DatabaseURLFile},
		{"CONTROL_TOKEN", &c.ControlToken, c.ControlTokenFile},
		{"CONTROL_TOKENS", &c.ControlTokens, c.ControlTokensFile},
		{"MASTER_KEY", &c.MasterKey, c.MasterKeyFile},
		{"WEBHOOK_PROXY", &c.WebhookProxy, c.WebhookProxyFile},
	} {
		if secret.file == "" {
			continue
		}
		if *secret.value != "" {
			return fmt.Errorf("%[1]s and %[1]s_FILE are both set: set one of them", secret.name)
		}
		text, err := os.ReadFile(secret.file)
		if err != nil {
			return fmt.Errorf("%s_FILE: %w", secret.name, err)
		}
		*secret.value = strings.TrimSpace(string(text))
		if *secret.value == "" {
			return fmt.Errorf("%s_FILE: %s is empty", secret.name, secret.file)
		}
	}
	return nil
}
