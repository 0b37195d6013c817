; "Open with": Spanlight is one of the programs that Windows offers for these files. What opens them is left as it is.

!define CLASSES "Software\Classes"
!define PROGID "${NAME}.Document"

!macro EachKind MACRO
  !insertmacro ${MACRO} ".pdf"
  !insertmacro ${MACRO} ".png"
  !insertmacro ${MACRO} ".jpg"
  !insertmacro ${MACRO} ".jpeg"
  !insertmacro ${MACRO} ".tif"
  !insertmacro ${MACRO} ".tiff"
  !insertmacro ${MACRO} ".docx"
  !insertmacro ${MACRO} ".docm"
  !insertmacro ${MACRO} ".odt"
  !insertmacro ${MACRO} ".rtf"
  !insertmacro ${MACRO} ".pptx"
  !insertmacro ${MACRO} ".pptm"
  !insertmacro ${MACRO} ".ppsx"
  !insertmacro ${MACRO} ".odp"
  !insertmacro ${MACRO} ".epub"
  !insertmacro ${MACRO} ".eml"
  !insertmacro ${MACRO} ".mbox"
  !insertmacro ${MACRO} ".msg"
  !insertmacro ${MACRO} ".xlsx"
  !insertmacro ${MACRO} ".xlsm"
  !insertmacro ${MACRO} ".xls"
  !insertmacro ${MACRO} ".ods"
  !insertmacro ${MACRO} ".csv"
  !insertmacro ${MACRO} ".tsv"
  !insertmacro ${MACRO} ".md"
  !insertmacro ${MACRO} ".markdown"
  !insertmacro ${MACRO} ".mdown"
  !insertmacro ${MACRO} ".html"
  !insertmacro ${MACRO} ".htm"
  !insertmacro ${MACRO} ".xhtml"
  !insertmacro ${MACRO} ".txt"
  !insertmacro ${MACRO} ".log"
  !insertmacro ${MACRO} ".rst"
  !insertmacro ${MACRO} ".tex"
  !insertmacro ${MACRO} ".json"
  !insertmacro ${MACRO} ".yaml"
  !insertmacro ${MACRO} ".xml"
!macroend

!macro AddKind KIND
  WriteRegStr SHCTX "${CLASSES}\Applications\spanlight.exe\SupportedTypes" "${KIND}" ""
  WriteRegStr SHCTX "${CLASSES}\${KIND}\OpenWithProgids" "${PROGID}" ""
  WriteRegStr SHCTX "${OWN_KEY}\Capabilities\FileAssociations" "${KIND}" "${PROGID}"
!macroend

!macro RemoveKind KIND
  DeleteRegValue SHCTX "${CLASSES}\${KIND}\OpenWithProgids" "${PROGID}"
  DeleteRegKey /ifempty SHCTX "${CLASSES}\${KIND}\OpenWithProgids"
  DeleteRegKey /ifempty SHCTX "${CLASSES}\${KIND}"
!macroend

!macro TellWindows
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)' ; SHCNE_ASSOCCHANGED
!macroend

Function AddAssociations
  WriteRegStr SHCTX "${CLASSES}\${PROGID}" "" "Document"
  WriteRegStr SHCTX "${CLASSES}\${PROGID}\DefaultIcon" "" "$INSTDIR\spanlight.exe,0"
  WriteRegStr SHCTX "${CLASSES}\${PROGID}\shell\open" "FriendlyAppName" "${NAME}"
  WriteRegStr SHCTX "${CLASSES}\${PROGID}\shell\open\command" "" '"$INSTDIR\spanlight.exe" "%1"'
  WriteRegStr SHCTX "${CLASSES}\Applications\spanlight.exe" "FriendlyAppName" "${NAME}"
  WriteRegStr SHCTX "${CLASSES}\Applications\spanlight.exe\DefaultIcon" "" "$INSTDIR\spanlight.exe,0"
  WriteRegStr SHCTX "${CLASSES}\Applications\spanlight.exe\shell\open\command" "" '"$INSTDIR\spanlight.exe" "%1"'
  WriteRegStr SHCTX "${OWN_KEY}\Capabilities" "ApplicationName" "${NAME}"
  WriteRegStr SHCTX "${OWN_KEY}\Capabilities" "ApplicationDescription" "${SUMMARY}"
  WriteRegStr SHCTX "Software\RegisteredApplications" "${NAME}" "${OWN_KEY}\Capabilities"
  !insertmacro EachKind AddKind
  !insertmacro TellWindows
FunctionEnd

Function un.RemoveAssociations
  !insertmacro EachKind RemoveKind
  DeleteRegValue SHCTX "Software\RegisteredApplications" "${NAME}"
  DeleteRegKey SHCTX "${OWN_KEY}\Capabilities"
  DeleteRegKey SHCTX "${CLASSES}\Applications\spanlight.exe"
  DeleteRegKey SHCTX "${CLASSES}\${PROGID}"
  !insertmacro TellWindows
FunctionEnd
