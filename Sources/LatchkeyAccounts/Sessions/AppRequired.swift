/// Thrown if the credentials are right, but the account can only be used in its app.
///
/// Schemas that require a device certificate can't have sessions in browsers, which have no certificate.
package struct AppRequired: Error {
    package init() {}
}
