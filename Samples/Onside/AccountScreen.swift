import OnsideKit

/// A screen whose calls are copied verbatim from the authentication chapter of Onside's documentation.
@MainActor
package struct AccountScreen {
    package let loginButton = LoginButton()
    private let observer = SessionObserver()

    package init() {}

    package func logIn() {
        Onside.requestLogin { result in
            switch result {
            case .success:
                // The user is now logged in.
                updateUI()
            case .failure(.loginDiscarded):
                // The user dismissed the login screen.
                break
            }
        }
    }

    package func logInWithoutResult() {
        Onside.requestLogin()
    }

    package func updateUI() {
        let queue = Onside.defaultPaymentQueue()
        let isLoggedIn = queue.storefront != nil

        loginButton.isHidden = isLoggedIn

        if let region = queue.storefront?.countryCode {
            print("Authenticated. Storefront region: \(region)")
        }
    }

    package func logOut() {
        Onside.logout()
    }
}
