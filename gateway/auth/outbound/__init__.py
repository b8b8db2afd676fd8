"""What leaves for other services: mails, text messages, hooks, CAPTCHA, sign-in providers."""
