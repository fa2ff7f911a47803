/// The text of forms, in English.
///
/// `{name}` is a placeholder for the value of `name` in the message's context.
///
/// All messages are created with these English texts. ``FormTranslation`` translates the messages when they
/// are encoded.
package enum FormText: String, Sendable, CaseIterable {
    // Labels.
    case signIn = "Sign in"
    case signInWithPassword = "Sign in with your password"
    case sendSignInCode = "Send me a code to sign in"
    case sendSignUpCode = "Send me a confirmation code"
    case signUp = "Create account"
    case back = "Back"
    case save = "Save"
    case proceed = "Continue"
    case resend = "Send another code"
    /// The label of the field for a code, in all kinds of flows.
    case code = "Code"
    case password = "Password"
    case email = "E-mail"
    case phone = "Phone number"
    /// The label of the login identifier field and of fields that accept any kind of address.
    case emailOrPhone = "E-mail or phone number"

    // Next steps.
    /// The text is the same for identifiers with and without an account.
    case loginCodeSent = "If you have an account with these details, we have sent you a code. Enter it here."
    /// Shown in registrations and re-authentications.
    case codeSent = "We have sent you a code. Enter it here."
    /// The text is the same for addresses with and without an account.
    case recoveryCodeSent = "If an account with this address exists, we have sent you a code. Enter it here."
    /// The text is the same for addresses with and without an account.
    case emailCodeSent =
        "If this address belongs to an account, we have sent you an e-mail with a code. Enter it here."
    /// The text is the same for numbers with and without an account.
    case phoneCodeSent =
        "If this number belongs to an account, we have sent you a text message with a code. Enter it here."
    case chooseCredential = "Choose how you want to sign in."
    case reauthenticate = "Please sign in again to confirm that it is you."
    case secondFactor = "Please finish signing in with two-step verification."

    // Completed actions.
    case phoneVerified = "Your phone number is confirmed."
    case emailVerified = "Your e-mail address is confirmed."
    case recovered = "Your account has been recovered. Set a new password now."
    case settingsSaved = "Your changes have been saved."

    // Errors that don't belong to a single field.
    /// The text is the same for unknown identifiers and wrong passwords.
    case invalidCredentials =
        "Your sign-in details are incorrect. Check them for typos, including your password."
    case duplicate = "An account with this e-mail address or phone number already exists."
    /// The text contains the identifier. The context lists the account's login methods.
    case duplicateWithHints =
        "An account with {credential_identifier_hint} already exists. Sign in instead."
    case identityDisabled = "This account has been disabled."
    /// Shown only if the credentials are correct.
    case appRequired = "This account can only be used in its app. Sign in there."
    case chooseSignIn = "Choose how you want to sign in and fill in the fields."
    case chooseSignUp = "Choose how you want to sign up and fill in the fields."
    case chooseChange = "Choose what you want to change and fill in the fields."
    case chooseRecovery = "Choose how you want to recover your account and fill in the fields."
    case chooseVerification =
        "Choose how you want to confirm your e-mail address or phone number and fill in the fields."
    case flowExpired = "This form has expired or has already been used. Please start again here."
    /// Shown in the flow that replaces a completed recovery.
    case usedAlready = "This form has already been used. Please start again here."
    /// Shown in the flow that replaces a verification that was completed or has no guesses left.
    case doneOrTriedTooOften =
        "This confirmation is already completed, or there were too many attempts. Please start again."
    case noCodeLogin =
        "We cannot find an account with these details, or it does not support signing in with a code."
    case noCodeAddress = "Enter an e-mail address or phone number that a code can be sent to."
    case codeUsed = "This code has already been used. Request a new one."
    case codeExhausted = "Too many wrong codes were entered. Please start again."
    case wrongCode = "This code is incorrect or has expired. Check it, or request a new one."
    case traitsChanged = "Your details changed after the code was sent. Request a new code."
    case passwordUnchanged = "This is your current password. Choose a different one."
    case changedMeanwhile =
        "Your account was changed elsewhere at the same time. Check your details and try again."
    case severalAddresses =
        "Change one address at a time. Each address must be confirmed before you can change the next one."
    case nothingToChange = "Enter the details that you want to change."
    /// Shown when the code is correct but the address that it was sent to isn't proven on the account.
    case addressNotProven =
        "This address is listed in an account but has not been confirmed there. If the account is yours, sign in with your password or another address and then confirm this address. If it is not yours, create a new account with this address."
    /// Shown next to the field for the code. The address is masked.
    case claimCodeSent =
        "We have sent a code to {address}. Enter it here to confirm that this is yours."
    case lastEntrance =
        "Without this, you could no longer sign in to your account. Enter an address that you can receive codes at."
    case removalNeedsProof =
        "To remove this address, first sign in again with your password or with a code sent to it."
    case passwordNeedsProof =
        "To change your password, first sign in again with your current password, or recover your account."
    case addressNotVerified = "Confirm your e-mail address or phone number first."

    // Errors about a single field.
    case missing = "Please fill in this field."
    case tooShort = "This is too short. The minimum length is {min_length}; you entered {actual_length}."
    case tooLong = "This is too long. The maximum length is {max_length}; you entered {actual_length}."
    /// The text doesn't state the limit, because placeholders don't support fractional numbers.
    case tooSmall = "This is too small."
    case tooLarge = "This is too large."
    case wrongType = "This has the wrong type. Expected: {allowed_types}."
    case invalidEmail = "This is not a valid e-mail address."
    case internationalMailbox =
        "We cannot send e-mail to an address with letters such as ø before the @. Please use another address."
    case invalidPhone = "This is not a valid phone number. Start with + and the country code."
    case invalidDate = "This is not a valid date. Use the format year-month-day."
    case documentNotAccepted = "Please confirm this to continue."
    case documentChanged = "A new version has been published. Please read it and confirm again."
    case acceptDocument = "I accept: {title}"
    case readDocument = "I have read: {title}"
    case declineDocuments = "Decline and sign out"
    case tooYoung = "You must be at least {minimum_age} years old."
    case birthdayWithoutYear = "Enter your date of birth with the year."
    case invalidRegion = "This is not a country code. Use two letters, such as NO."
    case regionOfOtherPhone =
        "This country does not match your phone number. Contact us if you have moved."
    case regionChangedRecently = "You changed the country recently. You can change it again in {days} days."
    case phoneNotVerified = "This phone number has not been confirmed yet."
    case otherPhoneVerified = "You confirmed a different phone number than this one."
    case passwordTooShort = "The password is too short. Use at least {min_length} characters."
    case passwordTooLong = "The password is too long. Use at most {max_length} bytes."
    case passwordBreached =
        "This password has appeared in a data breach. Choose a different one."
    case passwordCommon = "This password is too common. Choose one that is harder to guess."
    case passwordSimilar = "The password is too similar to the address or name that you sign in with."
}
