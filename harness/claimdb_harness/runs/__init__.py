"""What a run leaves behind: a trace for each claim, in a folder where a killed run goes on."""
