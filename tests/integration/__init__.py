"""The whole product without a browser: clients, leads, mails."""
