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

// ClientSet is a set of clients that a tenant should have.
type ClientSet struct {
	at      string // path of the array
	clients []ClientDefinition
}

// ParseClientSet parses clients in the form of ClientDefinition. If an id begins with
// from, the name of the tenant from which the clients were exported, it replaces this
// prefix by to, the name of the tenant that gets them. Its errors are *api.Error and
// contain paths, which begin with at, the path of the array.
func ParseClientSet(at string, objects []api.Object, from, to string) (ClientSet, error) {
	clients := make([]ClientDefinition, len(objects))
	for i, object := range objects {
		path := api.ElementPath(at, i)
		err := api.CheckKeys(path, object, "client_id", "permissions")
		if err != nil {
			return ClientSet{}, err
		}
		if clients[i].ID, err = ReadClientID(path+".client_id", object["client_id"]); err != nil {
			return ClientSet{}, err
		}
		if rest, renamed := strings.CutPrefix(clients[i].ID, from+"-"); renamed {
			if clients[i].ID = to + "-" + rest; !ValidClientID(clients[i].ID) {
				return ClientSet{}, api.BadRequest("%s.client_id: with the name of this tenant, it is too long", path)
			}
		}
		if clients[i].Permissions, err = ReadPermissions(object, AllPermissions); err != nil {
			return ClientSet{}, api.ErrorAt(path, err)
		}
		if slices.ContainsFunc(clients[:i], func(other ClientDefinition) bool { return other.ID == clients[i].ID }) {
			return ClientSet{}, api.BadRequest("%s.client_id: %q is listed twice", path, clients[i].ID)
		}
	}
	return ClientSet{at, clients}, nil
}

// ClientCredentials are the credentials of a client that was created.
type ClientCredentials struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// EnsureClients creates the clients of the set that the tenant lacks, and returns their
// credentials. It sets the permissions of the others. It does not change clients that are
// not in the set. The caller must evict the tenant after the commit.
func (g *Gate) EnsureClients(ctx context.Context, tx pgx.Tx, tenant Tenant, set ClientSet) ([]ClientCredentials, error) {
	current, err := ClientsOf(ctx, tx, []uuid.UUID{tenant.ID})
	if err != nil {
		return nil, err
	}
	var created []ClientCredentials
	for i, client := range set.clients {
		at := slices.IndexFunc(current, func(other TenantClient) bool { return other.ID == client.ID })
		if at >= 0 {
			if !slices.Equal(current[at].Permissions, client.Permissions) {
				if _, err := g.ChangeClient(ctx, tx, tenant.ID, client.ID, ClientChange{Permissions: client.Permissions}); err != nil {
					return nil, err
				}
			}
			continue
		}
		_, secret, err := g.AddClient(ctx, tx, tenant, NewClient{ID: client.ID, Permissions: client.Permissions})
		if errors.Is(err, ErrClientIDTaken) {
			return nil, api.ErrorAt(api.ElementPath(set.at, i), ClientTaken(client.ID))
		}
		if err != nil {
			return nil, err
		}
		created = append(created, ClientCredentials{client.ID, secret})
	}
	return created, nil
}
