"""What an operator does and is told: copies, restores, upgrades, checks, alarms, recordings."""
