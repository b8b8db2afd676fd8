"""The auth API: sign-in, sessions, users, second factors, admin calls; see `service.AuthService`."""
