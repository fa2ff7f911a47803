import LatchkeyModel
import LatchkeyServer
import LatchkeyServerCore
import LatchkeyWire

/// Where the identity commands do their work: on the configured data, whether or not a server runs.
enum IdentityDesk {
    /// Opens the data, works, and says what kept it from being done.
    static func open<Outcome: Sendable>(
        _ arguments: Arguments,
        _ console: Console,
        _ work: @Sendable (IdentityAdministration) async throws -> Outcome
    ) async throws(CommandFailure) -> Outcome {
        let configuration = try ConfigurationOptions.load(arguments, console)
        do {
            return try await IdentityServer.administer(configuration, .system(logging: .warning), work)
        } catch let error as CommandFailure {
            throw error
        } catch let error as IdentityServerError {
            throw CommandFailure(starting: error)
        } catch let error as IdentityAdministration.Refusal {
            throw CommandFailure(error)
        } catch let error as DatabaseError {
            throw CommandFailure(.storage, error.description)
        } catch {
            throw CommandFailure(.failed, "it could not be done: \(type(of: error))")
        }
    }

    /// Finds an identity that must be there.
    static func find(_ text: String, _ desk: IdentityAdministration) async throws -> IdentityRecord {
        guard let identity = try await desk.find(text) else {
            throw CommandFailure(
                .failed,
                "there is no identity \(text)",
                hint: "name its id, phone number or e-mail address; --data or --config say whose server"
            )
        }
        return identity
    }

    /// Prints an identity: what a server would show its owner.
    static func write(_ identity: [UInt8], _ arguments: Arguments, _ console: Console) {
        guard !arguments.has("json"), let value = try? JSONParser.parse(identity) else {
            return console.write(String(decoding: identity, as: UTF8.self))
        }
        for name in ["id", "schema_id", "state", "created_at"] {
            guard case .string(let text)? = value[name] else { continue }
            console.write(name + String(repeating: " ", count: 12 - name.count) + text)
        }
        if let traits = value["traits"] {
            console.write("traits      " + SessionText.compact(traits.unordered))
        }
    }
}

extension CommandFailure {
    /// Says why an identity cannot be made.
    fileprivate init(_ refusal: IdentityAdministration.Refusal) {
        switch refusal {
        case .unknownSchema:
            self.init(
                .usage,
                "there is no identity schema of this name",
                hint: "customer, business and person come with the server"
            )
        case .duplicate:
            self.init(.refused, "somebody has this phone number or address already")
        case .unfit(let messages):
            let lines = messages.map { "\($0.field): \($0.message.text)" }
            self.init(
                .refused,
                lines.isEmpty ? "the traits do not fit the schema" : lines.joined(separator: "\n")
            )
        }
    }
}
