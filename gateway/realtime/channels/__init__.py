"""What happens on a channel: joins and their config, tokens, policies, broadcasts, presence, replay."""
