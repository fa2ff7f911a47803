/// A scope that the server offers by itself (OpenID Connect Core, sections 5.4 and 11).
package enum StandardScope: String, Sendable, CaseIterable {
    case openid, profile, email, phone
    case offlineAccess = "offline_access"
}
