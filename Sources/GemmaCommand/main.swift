print("gemma")
