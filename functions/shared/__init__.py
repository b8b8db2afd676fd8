"""What the functions beside it share: forms, leads, mails, the data client, cross-origin headers."""
