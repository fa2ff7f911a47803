import LatchkeyAccounts

extension ServerConfiguration {
    /// Returns warnings about the members of schemas that the server ignores.
    func warnings(about schemas: SchemaCatalog) -> [ConfigurationError.Problem] {
        let key = "identities.schemas"
        return schemas.warnings.map { warning in
            ConfigurationError.Problem(
                key: key,
                source: sources[key]?.description ?? "default",
                message: warning
            )
        }
    }

    /// The warnings about the members of schemas that the server ignores, if the operator's files can be read.
    package var schemaWarnings: [ConfigurationError.Problem] {
        (try? OperatorFiles(self)).map { warnings(about: $0.schemas) } ?? []
    }
}
