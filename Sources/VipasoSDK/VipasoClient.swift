public import VipasoTypes

/// The SDK: signs people up, logs them in, keeps them logged in, and tells its delegate.
public final class VipasoClient: VipasoSDKProtocol {
    private let door: VipasoDoor<any VipasoDelegate>

    /// Creates the SDK; a session that is on disk is taken up, and checked with the server.
    ///
    /// - Parameter configuration: Where the server is, and what to work with.
    /// - Throws: ``VipasoTypes/VipasoError`` when the configuration cannot be right.
    public init(configuration: VipasoConfiguration) throws(VipasoError) {
        door = try VipasoDoor(configuration: configuration)
        door.relay.whenChanged { [weak self] delegate, authenticated in
            guard let self else { return }
            delegate.onAuthenticationStateChange(vipaso: self, authenticated: authenticated)
        }
    }

    /// The doors for the kinds of users.
    public var user: any VipasoUserProtocol {
        Doors(door: door)
    }

    /// The object that is told when somebody logs in or out; held weakly, called on the main actor.
    ///
    /// It can be set anywhere. When somebody is logged in already, it is told so.
    public var delegate: (any VipasoDelegate)? {
        get { door.relay.delegate }
        set { door.relay.setDelegate(newValue) { [weak newValue] in newValue } }
    }

    /// Whether a user is logged in, or whether that is unknown.
    ///
    /// A login in an encrypted file is known when the initializer returns; a keyring is read in the background. If the
    /// state is `unknown`, the delegate is called when it is known.
    public var authenticationState: VipasoAuthenticationState {
        door.authenticationState
    }

    /// Whether a user is known to be logged in.
    ///
    /// `false` also while ``authenticationState`` is `unknown`, for instance because the keyring is locked.
    public var isAuthenticated: Bool {
        door.isAuthenticated
    }

    /// Asks the server whether the session is still valid; call it when the app comes to the foreground.
    ///
    /// The delegate is called if the server has ended the session. Network errors log no user out.
    public func checkAuthentication() {
        door.checkSession()
    }

    private struct Doors: VipasoUserProtocol {
        let door: VipasoDoor<any VipasoDelegate>

        var customer: any VipasoCustomerProtocol { CustomerDoor(door: door) }

        var business: any VipasoBusinessProtocol { BusinessDoor(door: door) }
    }
}
