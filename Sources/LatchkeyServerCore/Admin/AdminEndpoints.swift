/// All routes of the administration API.
package struct AdminEndpoints: Sendable {
    /// The places that this answers at.
    package let endpoints: [Endpoint]

    package init(_ context: ServerContext) {
        let endpoints =
            IdentityEndpoints(context).endpoints + SessionAdminEndpoints(context).endpoints
            + AddressEndpoints(context).endpoints + RecoveryCodes(context).endpoints
            + MessageEndpoints(context).endpoints
            + AuditEndpoints(context).endpoints
        // Also on the public listener: Kratos's clients look for them here, and without a token.
        let open = SchemaEndpoints(context).endpoints + [VersionEndpoint().endpoint]
        self.endpoints = (endpoints.map(\.forOperators) + open).map(\.refusingUnknownParameters)
    }
}
