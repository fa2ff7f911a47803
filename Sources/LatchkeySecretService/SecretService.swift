import LatchkeyCore

/// The calls of the Secret Service that a store needs: those of the freedesktop specification, version 0.2.
///
/// None of them asks a person for anything. Where the service would like to, it says so, and nobody is asked.
struct SecretService {
    static let name = "org.freedesktop.secrets"

    /// What was found: items that can be read now, and items in collections that are locked.
    struct Found {
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

    /// The collection in which new items belong; nothing when the user has none.
    func defaultCollection() throws(SessionStoreError) -> String? {
        let answer = try call("ReadAlias", [.string("default")], returning: "(o)")
        return answer[0].text == "/" ? nil : answer[0].text
    }

    func isLocked(collection path: String) throws(SessionStoreError) -> Bool {
        try bus.call(
            "Get",
            of: "org.freedesktop.DBus.Properties",
            at: path,
            [.string(Self.collection), .string("Locked")],
            returning: "(v)"
        )[0].isTrue
    }

    func search(_ attributes: [String: String]) throws(SessionStoreError) -> Found {
        let answer = try call("SearchItems", [.texts(attributes)], returning: "(aoao)")
        return Found(unlocked: answer[0].members.map(\.text), locked: answer[1].members.map(\.text))
    }

    /// The secrets of items, but of those that have gone meanwhile.
    func secrets(of items: [String]) throws(SessionStoreError) -> [(item: String, secret: [UInt8])] {
        let session = try openSession()
        let answer = try call(
            "GetSecrets",
            [.array(of: "o", items.map { .path($0) }), .path(session)],
            returning: "(a{o(oayays)})"
        )
        return answer[0].members.map { ($0[0].text, $0[1][2].bytes) }
    }

    func setSecret(_ secret: [UInt8], of item: String) throws(SessionStoreError) {
        let session = try openSession()
        _ = try bus.call(
            "SetSecret",
            of: Self.item,
            at: item,
            [Self.secret(secret, session)],
            returning: "()"
        )
    }

    /// Creates an item; an item with the same attributes is replaced.
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
            [
                .values([Self.item + ".Label": .string(label), Self.item + ".Attributes": .texts(attributes)]
                ),
                Self.secret(secret, session), .boolean(true),
            ],
            returning: "(oo)"
        )
        guard answer[1].text == "/" else { throw Self.wouldAsk }
    }

    func delete(_ item: String) throws(SessionStoreError) {
        let answer = try bus.call("Delete", of: Self.item, at: item, [], returning: "(o)")
        guard answer[0].text == "/" else { throw Self.wouldAsk }
    }

    // The record crosses the user's own socket as it is: whoever can listen there can also ask for it.
    private func openSession() throws(SessionStoreError) -> String {
        try call("OpenSession", [.string("plain"), .any(.string(""))], returning: "(vo)")[1].text
    }

    private func call(
        _ method: String,
        _ parameters: [Variant],
        returning type: String
    ) throws(SessionStoreError) -> Variant {
        try bus.call(method, of: Self.interface, at: Self.root, parameters, returning: type)
    }

    private static func secret(_ bytes: [UInt8], _ session: String) -> Variant {
        .tuple([.path(session), .bytes([]), .bytes(bytes), .string("text/plain; charset=utf8")])
    }

    private static let wouldAsk = SessionStoreError(.locked, "The keyring wants to ask the user first.")
}
