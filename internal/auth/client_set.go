package auth

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// ClientDefinition is a client in an exported configuration, without its secret.
type ClientDefinition struct {
	ID          string   `json:"client_id"`
	Permissions []string `json:"permissions"`
}

// ClientDefinitions returns the tenant's clients that are not revoked, ordered by id.
func ClientDefinitions(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]ClientDefinition, error) {
	clients, err := ClientsOf(ctx, db, []uuid.UUID{tenantID})
	definitions := make([]ClientDefinition, len(clients))
	for i, c := range clients {
		definitions[i] = ClientDefinition{c.ID, c.Permissions}
	}
	return definitions, err
}

// ClientDefinitionFields are the keys of a client in an imported configuration.
var ClientDefinitionFields = []string{"client_id", "client_secret", "permissions"}

// ClientSet is a set of clients that a tenant should have.
type ClientSet struct {
	// In a seeded set, user ids are derived from client ids, and new clients must have a secret.
	Seeded bool

	clients []wantedClient
}

// wantedClient is a client that a tenant should have.
type wantedClient struct {
	ClientDefinition
	at     string  // path
	secret *string // nil = the one that it has, or a generated one
}

// ParseClientSet parses clients in the form of ClientDefinition, to which a secret can be
// added. If an id begins with from, the name of the tenant from which the clients were
// exported, it replaces this prefix by to, the name of the tenant that gets them. Its
// errors are *api.Error and contain paths, which begin with at, the path of the array.
func ParseClientSet(at string, objects []api.Object, from, to string) (ClientSet, error) {
	clients := make([]wantedClient, len(objects))
	for i, object := range objects {
		path := api.ElementPath(at, i)
		c := wantedClient{at: path}
		err := api.CheckKeys(path, object, ClientDefinitionFields...)
		if err != nil {
			return ClientSet{}, err
		}
		if c.ID, err = ReadClientID(path+".client_id", object["client_id"]); err != nil {
			return ClientSet{}, err
		}
		if rest, renamed := strings.CutPrefix(c.ID, from+"-"); renamed {
			if c.ID = to + "-" + rest; !ValidClientID(c.ID) {
				return ClientSet{}, api.BadRequest("%s.client_id: with the name of this tenant, it is too long", path)
			}
		}
		if raw, given := object["client_secret"]; given {
			secret, err := ReadSecret(path+".client_secret", raw)
			if err != nil {
				return ClientSet{}, err
			}
			c.secret = &secret
		}
		if c.Permissions, err = ReadPermissions(object, AllPermissions); err != nil {
			return ClientSet{}, api.ErrorAt(path, err)
		}
		if slices.ContainsFunc(clients[:i], func(other wantedClient) bool { return other.ID == c.ID }) {
			return ClientSet{}, api.BadRequest("%s.client_id: %q is listed twice", path, c.ID)
		}
		clients[i] = c
	}
	return ClientSet{clients: clients}, nil
}

// IDs returns the ids of the clients.
func (s *ClientSet) IDs() []string {
	ids := make([]string, len(s.clients))
	for i, c := range s.clients {
		ids[i] = c.ID
	}
	return ids
}

// Keep removes from the set the clients for whose ids keep returns false.
func (s *ClientSet) Keep(keep func(id string) bool) {
	s.clients = slices.DeleteFunc(s.clients, func(c wantedClient) bool { return !keep(c.ID) })
}

// ClientCredentials are the credentials of a client that was created.
type ClientCredentials struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// EnsureClients creates the clients of the set that the tenant lacks, and returns their
// credentials. It sets the permissions of the others, and their secrets if the set has
// them. It does not change clients that are not in the set. The caller must evict the
// tenant after the commit.
func (g *Gate) EnsureClients(ctx context.Context, tx pgx.Tx, tenant Tenant, set ClientSet) ([]ClientCredentials, error) {
	current, err := ClientsOf(ctx, tx, []uuid.UUID{tenant.ID})
	if err != nil {
		return nil, err
	}
	var created []ClientCredentials
	for _, client := range set.clients {
		at := slices.IndexFunc(current, func(other TenantClient) bool { return other.ID == client.ID })
		if at >= 0 {
			if client.secret != nil || !slices.Equal(current[at].Permissions, client.Permissions) {
				change := ClientChange{Permissions: client.Permissions, Secret: client.secret}
				if _, err := g.ChangeClient(ctx, tx, tenant.ID, client.ID, change); err != nil {
					return nil, err
				}
			}
			continue
		}
		if set.Seeded && client.secret == nil {
			return nil, api.BadRequest("%s.client_secret: want the secret of the client, because the tenant does not have this client yet", client.at)
		}
		wanted := NewClient{ID: client.ID, Permissions: client.Permissions, seeded: set.Seeded}
		if client.secret != nil {
			wanted.Secret = *client.secret
		}
		_, secret, err := g.AddClient(ctx, tx, tenant, wanted)
		if errors.Is(err, ErrClientIDTaken) {
			return nil, api.ErrorAt(client.at, ClientTaken(client.ID))
		}
		if err != nil {
			return nil, err
		}
		created = append(created, ClientCredentials{client.ID, secret})
	}
	return created, nil
}
