package auth

import (
	"github.com/google/uuid"

	"understudy.example/internal/api"
)

// tokenResponse is the access token response (service.md, "Resources").
type tokenResponse struct {
	AccessToken  string    `json:"access_token"`
	TokenType    string    `json:"token_type"`
	ExpiresIn    int       `json:"expires_in"` // seconds
	RefreshToken string    `json:"refresh_token"`
	Scope        string    `json:"scope"`
	UID          uuid.UUID `json:"uid"`
	Info         struct {
		Name      string  `json:"name"`
		Email     *string `json:"email"`
		FirstName string  `json:"first_name"`
		LastName  string  `json:"last_name"`
	} `json:"info"`
	Extra struct {
		RawInfo rawInfo `json:"raw_info"`
	} `json:"extra"`
}

type rawInfo struct {
	UserID             uuid.UUID   `json:"user_id"`
	TenantID           uuid.UUID   `json:"tenant_id"`
	TenantName         string      `json:"tenant_name"`
	TenantSubdomain    string      `json:"tenant_subdomain"`
	TenantTheme        string      `json:"tenant_theme"`
	TenantType         *string     `json:"tenant_type"`
	PrimaryUserGroupID uuid.UUID   `json:"primary_user_group_id"`
	UserGroupIDs       []uuid.UUID `json:"user_group_ids"`
	Name               string      `json:"name"`
	Email              *string     `json:"email"`
	FirstName          string      `json:"first_name"`
	LastName           string      `json:"last_name"`
	Phone              *string     `json:"phone"`
	Permissions        []string    `json:"permissions"`
	AuthUID            *string     `json:"auth_uid"`
	CreatedAt          api.Time    `json:"created_at"`
	TenantCreatedAt    api.Time    `json:"tenant_created_at"`
	CompletedSteps     []string    `json:"completed_steps"`
	AcceptedAgreements []string    `json:"accepted_agreements"`
	PlanSKU            *string     `json:"plan_sku"`
	SubStatus          *string     `json:"sub_status"`
}

func newTokenResponse(client Client, access, refresh string) tokenResponse {
	response := tokenResponse{
		AccessToken:  access,
		TokenType:    "bearer",
		ExpiresIn:    int(lifetime.Seconds()),
		RefreshToken: refresh,
		UID:          client.UserID,
	}
	name := client.FirstName + " " + client.LastName
	response.Info.Name = name
	response.Info.FirstName = client.FirstName
	response.Info.LastName = client.LastName
	group := uuid.NewSHA1(client.TenantID, []byte("user group"))
	response.Extra.RawInfo = rawInfo{
		UserID:             client.UserID,
		TenantID:           client.TenantID,
		TenantName:         client.TenantName,
		TenantSubdomain:    client.TenantName,
		TenantTheme:        "default",
		PrimaryUserGroupID: group,
		UserGroupIDs:       []uuid.UUID{group},
		Name:               name,
		FirstName:          client.FirstName,
		LastName:           client.LastName,
		Permissions:        client.Permissions,
		CreatedAt:          api.Time(client.CreatedAt),
		TenantCreatedAt:    api.Time(client.TenantCreatedAt),
		CompletedSteps:     []string{},
		AcceptedAgreements: []string{},
	}
	return response
}
