package struct ScopeCatalog: Sendable {
    package init() {}
    package func isKnown(_ name: String) -> Bool {
        ["openid", "profile", "email", "phone", "offline_access"].contains(name)
    }
    package func audiences(of scopes: [String]) -> [String] { [] }
}
