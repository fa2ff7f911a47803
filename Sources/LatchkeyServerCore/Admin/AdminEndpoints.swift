/// All routes of the admin API.
package struct AdminEndpoints: Sendable {
    /// The routes, which reject unknown query parameters and, except for the open ones, are reserved for
    /// operators.
    package let endpoints: [Endpoint]

    package init(_ context: ServerContext) {
        let endpoints =
            IdentityEndpoints(context).endpoints + SessionAdminEndpoints(context).endpoints
            + AddressEndpoints(context).endpoints + RecoveryCodes(context).endpoints
            + MessageEndpoints(context).endpoints
            + AuditEndpoints(context).endpoints
        // These routes are also part of the public listener; Kratos clients request them here, without a
        // token.
        let open = SchemaEndpoints(context).endpoints + [VersionEndpoint().endpoint]
        self.endpoints = (endpoints.map(\.forOperators) + open).map(\.refusingUnknownParameters)
    }
}
