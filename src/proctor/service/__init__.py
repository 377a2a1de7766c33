"""The use cases. Joins the rooms and picks the implementations; speaks no protocol."""
