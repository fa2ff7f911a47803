import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Checks changes of traits against the rules of the clients that the user has logged in to.
struct FieldChangeCheck: Sendable {
    private let duties: Duties
    private let sessions: SessionDirectory
    private let clients: ClientRegistry

    init(_ services: MethodServices) {
        duties = services.accounts.duties
        sessions = services.accounts.directory
        clients = services.accounts.clients
    }

    /// Checks a change, and returns the form with messages about the fields that the user may not change in
    /// this way.
    ///
    /// The rules of the flow's own client apply to all of its fields. Those of the clients of the account's other
    /// sessions only keep the user from removing or invalidating a required field. The rules are read before the
    /// transaction that saves the change, so they may change in between; the account then has a duty.
    ///
    /// - Throws: A ``ServerError`` with status 403 and the id `duty_required` if a duty blocks and the change
    ///   concerns other fields than those that the duties ask for. Also throws ``DatabaseError``.
    func check(_ submitted: Traits, form: Form, in context: FlowContext) async throws -> Form {
        guard let found = context.session else { return form }
        let old = found.identity.traits
        let traits = submitted.keeping(found.identity.region, for: context.schema)
        let changed = Self.changes(from: old, to: try? JSONParser.parse(traits.json, from: .storage))
        guard !changed.isEmpty else { return form }
        let (flow, now) = (context.flow, context.request.now)
        var open = try await duties.open(for: found, in: context.request)
        open += try await duties.open(for: found.identity, at: flow.dutyClientID, now: now)
        let asked = (flow.dutyFields ?? []).union(open.flatMap(\.fields))
        if !changed.isSubset(of: asked) { try Duties.requireNoneBlocking(among: open) }
        var form = form
        form.check(changeTo: traits, from: old, by: context.flow.fields)
        for id in try await sessions.clientIDs(of: found.identity.id, at: now) {
            guard let client = try await clients.client(id) else { continue }
            let rules = FieldRules(of: client, for: context.schema, at: now)
            form.check(changeTo: traits, from: old, by: rules, onlyRequired: true)
        }
        return form
    }

    /// Returns the names of the form fields whose values differ.
    private static func changes(
        from old: OrderedJSON?,
        to new: OrderedJSON?,
        at path: String = "traits"
    ) -> Set<String> {
        guard old != new else { return [] }
        guard let before = members(of: old), let after = members(of: new) else { return [path] }
        // Members of objects without a schema can be numerous, so each name is looked up only once.
        return before.merging(after) { own, _ in own }.keys.reduce(into: []) { changed, name in
            let path = path + "." + String(decoding: name, as: UTF8.self)
            changed.formUnion(changes(from: before[name], to: after[name], at: path))
        }
    }

    /// Returns the members of an object by their names in UTF-8, or `nil` if the value isn't an object.
    ///
    /// A missing object has no members.
    private static func members(of value: OrderedJSON?) -> [[UInt8]: OrderedJSON]? {
        switch value {
        case nil: [:]
        case .object(let members):
            Dictionary(members.map { (Array($0.name.utf8), $0.value) }) { first, _ in first }
        default: nil
        }
    }
}
