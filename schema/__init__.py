"""The application's database: its migrations, its sample rows, and the code that applies them."""
