"""From Swagger 2.0 and OpenAPI 3.0 to the forms of OpenAPI 3.1 and JSON Schema 2020-12."""
