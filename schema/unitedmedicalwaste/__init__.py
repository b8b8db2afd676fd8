"""What the site of United Medical Waste adds to the program: commands for its leads."""
