public import LatchkeyCore
public import Observation

/// The state of a client's session for SwiftUI views and other users of Observation.
///
/// ```swift
/// @State private var model = SessionModel(latchkey)
/// ```
///
/// Its properties change on the main actor, in the order of the client's changes. The model does not have to be
/// stopped: its client does not retain it.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable
public final class SessionModel {
    /// The current state; `unavailable(.notReadYet)` until a keyring has been read.
    public private(set) var state: SessionState

    @ObservationIgnored private let relay = Relay()

    /// Creates a model of a client's session.
    ///
    /// - Parameter client: The client, whose current state the model has at once.
    public init(_ client: LatchkeyClient) {
        state = client.sessionState
        relay.model = self
        client.addObserver(relay)
    }

    /// The session, or `nil` unless a user is logged in.
    public var session: UserSession? { state.session }

    /// The observer that the client holds weakly; it lives as long as the model.
    private final class Relay: SessionObserver {
        weak var model: SessionModel?

        func sessionDidChange(to state: SessionState) {
            if model?.state != state { model?.state = state }
        }
    }
}
