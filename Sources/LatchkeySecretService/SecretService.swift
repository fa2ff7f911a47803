import LatchkeyCore

/// A client for the parts of the freedesktop Secret Service specification (version 0.2) that a session store
/// needs.
///
/// Calls never prompt the user. If the service requires a prompt, the call fails with the code `locked`.
struct SecretService {
    static let name = "org.freedesktop.secrets"

    /// The result of a search.
    ///
    /// The result contains the object paths of readable items and of items in locked collections.
    struct SearchResult {
        var unlocked: [String]
        var locked: [String]
    }

    private static let root = "/org/freedesktop/secrets"
    private static let interface = "org.freedesktop.Secret.Service"
    private static let item = "org.freedesktop.Secret.Item"
    private static let collection = "org.freedesktop.Secret.Collection"

    private let bus: BusConnection

    init(_ bus: BusConnection) {
        self.bus = bus
    }

    /// Returns the object path of the user's default collection, or `nil` if there is none.
    func defaultCollection() throws(SessionStoreError) -> String? {
        let answer = try call("ReadAlias", parameters: [.string("default")], returning: "(o)")
        return answer[0].text == "/" ? nil : answer[0].text
    }

    /// Returns whether a collection is locked.
    func isLocked(collection path: String) throws(SessionStoreError) -> Bool {
        try bus.call(
            "Get",
            of: "org.freedesktop.DBus.Properties",
            at: path,
            parameters: [.string(Self.collection), .string("Locked")],
            returning: "(v)"
        )[0].isTrue
    }

    /// Searches all collections for items that have all of the given attributes.
    func search(_ attributes: [String: String]) throws(SessionStoreError) -> SearchResult {
        let answer = try call("SearchItems", parameters: [.texts(attributes)], returning: "(aoao)")
        return SearchResult(unlocked: answer[0].members.map(\.text), locked: answer[1].members.map(\.text))
    }

    /// Returns the secrets that are stored in the given items.
    ///
    /// Items that were removed in the meantime are left out.
    func secrets(of items: [String]) throws(SessionStoreError) -> [(item: String, secret: [UInt8])] {
        let session = try openSession()
        let answer = try call(
            "GetSecrets",
            parameters: [.array(of: "o", items.map { .path($0) }), .path(session)],
            returning: "(a{o(oayays)})"
        )
        return answer[0].members.map { ($0[0].text, $0[1][2].bytes) }
    }

    /// Replaces the secret of an item without changing its attributes.
    func setSecret(_ secret: [UInt8], of item: String) throws(SessionStoreError) {
        let session = try openSession()
        _ = try bus.call(
            "SetSecret",
            of: Self.item,
            at: item,
            parameters: [Self.secret(secret, session: session)],
            returning: "()"
        )
    }

    /// Creates an item, or replaces the item that has the same attributes.
    ///
    /// - Parameters:
    ///   - collection: The object path of the collection, which must be unlocked.
    ///   - label: The item's name in keyring tools.
    ///   - attributes: The attributes to search for, which the service does not treat as secret.
    ///   - secret: The secret as UTF-8 text.
    /// - Throws: `SessionStoreError` with the code `locked` if the service would have to prompt the user.
    func create(
        in collection: String,
        label: String,
        attributes: [String: String],
        secret: [UInt8]
    ) throws(SessionStoreError) {
        let session = try openSession()
        let answer = try bus.call(
            "CreateItem",
            of: Self.collection,
            at: collection,
            parameters: [
                .values([Self.item + ".Label": .string(label), Self.item + ".Attributes": .texts(attributes)]
                ),
                Self.secret(secret, session: session), .boolean(true),
            ],
            returning: "(oo)"
        )
        guard answer[1].text == "/" else { throw Self.promptRequired }
    }

    /// Deletes an item.
    ///
    /// - Throws: `SessionStoreError` with the code `locked` if the service would have to prompt the user.
    func delete(_ item: String) throws(SessionStoreError) {
        let answer = try bus.call("Delete", of: Self.item, at: item, parameters: [], returning: "(o)")
        guard answer[0].text == "/" else { throw Self.promptRequired }
    }

    // The secret is sent over the user's own socket in plain text. A process that can listen on that socket
    // could also request the secret itself.
    private func openSession() throws(SessionStoreError) -> String {
        try call("OpenSession", parameters: [.string("plain"), .variant(.string(""))], returning: "(vo)")[1]
            .text
    }

    private func call(
        _ method: String,
        parameters: [Variant],
        returning type: String
    ) throws(SessionStoreError) -> Variant {
        try bus.call(method, of: Self.interface, at: Self.root, parameters: parameters, returning: type)
    }

    private static func secret(_ bytes: [UInt8], session: String) -> Variant {
        .tuple([.path(session), .bytes([]), .bytes(bytes), .string("text/plain; charset=utf8")])
    }

    private static let promptRequired = SessionStoreError(
        .locked,
        message: "The keyring requires the user's confirmation."
    )
}
