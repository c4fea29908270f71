"""What people see: views of results, and their renderings."""
