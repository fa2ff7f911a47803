/// All routes of the operator's API.
package struct AdminEndpoints: Sendable {
    /// The places that this answers at.
    package let endpoints: [Endpoint]

    package init(_ context: ServerContext) {
        let endpoints =
            IdentityEndpoints(context).endpoints + SessionAdminEndpoints(context).endpoints
            + AddressEndpoints(context).endpoints + RecoveryCodes(context).endpoints
            + MessageEndpoints(context).endpoints
            + AuditEndpoints(context).endpoints
        self.endpoints = endpoints.map(\.forOperators)
    }
}
